"""What a figure may come from, indexed: cells, texts, arguments, headings, vocabulary."""
