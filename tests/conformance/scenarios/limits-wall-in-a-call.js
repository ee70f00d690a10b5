await tools.never();
