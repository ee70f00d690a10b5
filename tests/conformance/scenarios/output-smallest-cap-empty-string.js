return '';
