class PaymentError extends Error {
  constructor(message) {
    super(message);
    this.name = 'PaymentError';
    this.code = 'E_PAY';
  }
}
throw new PaymentError('declined');
