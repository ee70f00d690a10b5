```JS
return 3;
```
