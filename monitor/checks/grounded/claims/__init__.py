"""What words claim, held against the evidence: cells, pairs, counts, extremes, ranks, dates, parts."""
