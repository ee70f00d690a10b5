Here is the `program`:

```javascript
return 2;
```

It returns two.
