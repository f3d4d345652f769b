import { type ModelRow, PRICE_UNITS } from '@oms/contract/agent/models/config.ts'
import { formatFenAsYuan } from '@oms/contract/core/money.ts'

/** Formats the prices of a model with their units; empty without a price. */
export function formatPrices({ type, priceIn, priceOut }: Pick<ModelRow, 'type' | 'priceIn' | 'priceOut'>) {
  const units = PRICE_UNITS[type]
  if (!units || priceIn + priceOut === 0) return ''
  if (units.in && units.out) return `入 ${formatFenAsYuan(priceIn)} / 出 ${formatFenAsYuan(priceOut)} ${units.in}`
  return `${formatFenAsYuan(units.in ? priceIn : priceOut)} ${units.in ?? units.out}`
}
