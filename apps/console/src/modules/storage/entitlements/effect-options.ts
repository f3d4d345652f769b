import { EFFECT_MODE } from '@oms/contract/storage/entitlement.ts'
import { buildLabelOptions } from '#kit/form/label-options.ts'

/** Options of 生效方式. */
export const EFFECT_OPTIONS = buildLabelOptions(EFFECT_MODE)
