return 1;
} async function other() {
return 2;
