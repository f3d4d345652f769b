import type { ads as calls } from '@oms/contract/advertise/ad.ts'
import { AD_TYPES, ORIENTATION } from '@oms/contract/advertise/ad-rules.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { visibleAds } from '../visible-ads.ts'
import { accounts } from '#core/schema/account.ts'
import { type AdBody, adMaterials, ads, adVersions } from '../schema.ts'
import { dictData } from '#core/schema/system.ts'
import { presentMaterial } from './ad-rows.ts'

const MAX_VERSIONS = 50
const submitter = alias(accounts, 'submitter')
const auditor = alias(accounts, 'auditor')
const nameOf = (table: typeof submitter | typeof auditor) =>
  sql<string>`coalesce(nullif(${table.realname}, ''), ${table.account}, '')`

const validity = ({ validFrom, validTo }: AdBody) =>
  validFrom || validTo ? `${validFrom ?? '不限'} 至 ${validTo ?? '不限'}` : '不限'

const hashesOf = (list: readonly { readonly sha256: string }[]) =>
  list.map(({ sha256 }) => sha256.slice(0, 12)).join('、')

/** Describes the content of a version for the comparison with another version. */
function contentInWords(body: AdBody, categories: ReadonlyMap<string, string>) {
  const { text, review } = body
  const fields: [string, string, string][] = [
    ['name', '广告名称', body.name],
    ['type', '类型', AD_TYPES[body.type]],
    ['orientation', '适用屏幕', ORIENTATION[review?.orientation as 0] ?? ''],
    ['duration', '时长', review ? `${review.durationMs / 1000} 秒` : ''],
    ['linkUrl', '网址', body.linkUrl ?? ''],
    ['text', '文字内容', text?.content ?? ''],
    [
      'style',
      '文字样式',
      text
        ? `字号 ${text.fontSize} · ${text.color} / ${text.background}${text.scroll ? ` · 滚动 ${text.speed}` : ''}`
        : '',
    ],
    ['advertiser', '广告主', review?.advertiser ?? ''],
    ['category', '广告类别', categories.get(String(review?.categoryId)) ?? ''],
    ['approvalNo', '广告批准文号', review?.approvalNo ?? ''],
    ['approvalUntil', '批准文号有效期', body.approvalUntil ?? ''],
    ['proofs', '证明文件', (review?.proofs ?? []).map(({ name }) => name).join('、')],
    ['validity', '有效期', validity(body)],
    ['files', '素材校验值', hashesOf(body.files)],
    ['posters', '封面校验值', hashesOf(review?.posters ?? [])],
  ]
  return fields.flatMap(([field, title, value]) => (value === '' ? [] : [{ field, title, value }]))
}

async function categoryNames({ db }: Ctx) {
  const rows = await db
    .select({ value: dictData.dictValue, label: dictData.dictLabel })
    .from(dictData)
    .where(eq(dictData.dictType, 'ad_category'))
  return new Map(rows.map(({ value, label }) => [value, label]))
}

/** Returns the newest 50 submitted versions with their files. */
export async function listVersions(ctx: Ctx, { id }: ParsedOf<typeof calls.versions>) {
  const { db, user } = ctx
  if ((await db.$count(ads, and(eq(ads.id, id), visibleAds(user)))) === 0) throw notFound('广告')
  const rows = await db
    .select({
      ...getTableColumns(adVersions),
      submitName: nameOf(submitter),
      auditName: nameOf(auditor),
    })
    .from(adVersions)
    .leftJoin(submitter, eq(submitter.uid, adVersions.submitBy))
    .leftJoin(auditor, eq(auditor.uid, adVersions.auditBy))
    .where(eq(adVersions.adId, id))
    .orderBy(desc(adVersions.verNo))
    .limit(MAX_VERSIONS)
  const materialIds = [...new Set(rows.flatMap(({ body }) => body.files.map(({ materialId }) => materialId)))]
  const materials = materialIds.length
    ? await db.select().from(adMaterials).where(inArray(adMaterials.id, materialIds))
    : []
  const found = new Map(materials.map((material) => [material.id, presentMaterial(material)]))
  const categories = await categoryNames(ctx)
  return {
    list: rows.map(({ body, ...row }) => ({
      ...row,
      content: contentInWords(body, categories),
      files: body.files.flatMap(({ materialId }) => found.get(materialId) ?? []),
    })),
  }
}
