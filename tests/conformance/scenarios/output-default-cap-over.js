return 'x'.repeat(67108861);
