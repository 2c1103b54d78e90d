"""What follows from cells and from the answer's own figures: sums, shares, rates, differences."""
