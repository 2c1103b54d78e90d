"""Is every figure of an answer grounded in what the agent saw?"""
