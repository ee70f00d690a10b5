1. Run:

   ```js
   return 5;
   ```
