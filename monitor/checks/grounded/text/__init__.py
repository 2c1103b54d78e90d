"""What a text says by itself: figures, dates, units, number words, words that announce."""
