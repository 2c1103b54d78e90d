"""What the words around a figure mean: sentences, names, rows, columns, periods, owners."""
