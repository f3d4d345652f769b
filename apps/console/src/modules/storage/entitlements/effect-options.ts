import { EFFECT_MODE } from '@oms/contract/storage/entitlement.ts'
import { labelOptions } from '#kit/form/label-options.ts'

/** Options of 生效方式. */
export const EFFECT_OPTIONS = labelOptions(EFFECT_MODE)
