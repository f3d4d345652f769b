/** Returns an amount in fen as yuan with two decimals: `123456` → `1234.56`. */
export const formatFenAsYuan = (fen: number) => (fen / 100).toFixed(2)

/** Returns an amount in fen with currency sign and grouped digits: `123456` → `¥1,234.56`, `-2376` → `-¥23.76`. */
export function formatCurrency(fen: number) {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const
  const amount = Math.abs(fen / 100).toLocaleString('zh-CN', digits)
  return `${fen < 0 && /[1-9]/.test(amount) ? '-' : ''}¥${amount}`
}
