return 'x'.repeat(67108860);
