"""What the papers promise: numbers in, numbers out."""
