throw Symbol('odd');
