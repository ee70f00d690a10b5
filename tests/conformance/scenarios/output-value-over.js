return '€';
