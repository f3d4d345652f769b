import * as z from 'zod'
import { id, limited, whole } from './fields.ts'

/** Highest price in fen. */
export const MAX_PRICE = 99_999_999
export const YES_NO = { 1: '是', 0: '否' } as const
const MAX_SCOPE = 200

/** A price of a package in fen. */
export const packagePrice = (title: string) =>
  limited(title, 0, MAX_PRICE, `${title}应为0～999999.99元，最多两位小数`).meta({ title, unit: 'fen' })

/** Ids of the models or tenants that a package is limited to; empty: all. */
export const packageScope = (title: string) =>
  z
    .preprocess(
      (value) => (value === undefined || value === null || Array.isArray(value) ? (value ?? []) : [value]),
      z.array(id, `${title}不正确`).max(MAX_SCOPE, `${title}最多选择${MAX_SCOPE}个`),
    )
    .meta({ title })

/** Amount of one copy of a package in fen. */
export const copyAmount = whole('每份金额', 0, MAX_PRICE).default(0).meta({ title: '每份金额', unit: 'fen' })
