import type { ModelRow } from '@oms/contract/agent/models/config.ts'
import { formatFenAsYuan } from '@oms/contract/core/money.ts'

/** Units of the prices by model type. A type without an entry has no price. */
export const PRICE_UNITS: Readonly<Record<string, { readonly in?: string; readonly out?: string }>> = {
  LLM: { in: '元/百万 Token', out: '元/百万 Token' },
  VLLM: { in: '元/百万 Token', out: '元/百万 Token' },
  TTS: { out: '元/万字符' },
  ASR: { in: '元/小时' },
}

/** Formats the prices of a model with their units; empty without a price. */
export function formatPrices({ type, priceIn, priceOut }: Pick<ModelRow, 'type' | 'priceIn' | 'priceOut'>) {
  const units = PRICE_UNITS[type]
  if (!units || priceIn + priceOut === 0) return ''
  if (units.in && units.out) return `入 ${formatFenAsYuan(priceIn)} / 出 ${formatFenAsYuan(priceOut)} ${units.in}`
  return `${formatFenAsYuan(units.in ? priceIn : priceOut)} ${units.in ?? units.out}`
}
