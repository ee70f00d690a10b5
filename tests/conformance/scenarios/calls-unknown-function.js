await tools.ecko(1);
