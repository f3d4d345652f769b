import { formatCurrency } from '@oms/contract/core/money.ts'

export const formatDays = (days: number) => `${days.toLocaleString()} 天`

/** Price in yuan, with the struck-through original price when it is higher. */
export const ProductPrice = ({ price, originPrice }: { price: number; originPrice: number }) => (
  <span className="kit-number">
    {price === 0 ? '免费' : formatCurrency(price)}
    {originPrice > price && <del>{formatCurrency(originPrice)}</del>}
  </span>
)
