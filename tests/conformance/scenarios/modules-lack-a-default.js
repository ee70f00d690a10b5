import lib from 'lib';
return lib.a;
