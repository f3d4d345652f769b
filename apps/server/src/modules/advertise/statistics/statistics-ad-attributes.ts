import type { adStats as calls } from '@oms/contract/advertise/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, ne, type Column, type SQL, sql } from 'drizzle-orm'
import { contains } from '#core/database/lists/list-query.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { ads } from '../schema.ts'
import { HIDDEN_AD_NAME } from '../programs/program-items.ts'

/**
 * Attributes of an ad by which plays are filtered and grouped. All plays of an ad count for its present values. Deleted ads
 * keep their values.
 */
const COLUMNS = { advertiser: ads.advertiser, contractNo: ads.contractNo } as const
export type AdAttribute = keyof typeof COLUMNS

const MAX_OPTIONS = 100
const NOT_ENTERED: Readonly<Record<AdAttribute, string>> = { advertiser: '未填写广告主', contractNo: '未填写合同编号' }
/** Prefix of the key of a value. */
const VALUE_KEY = '='
/** Key of all ads outside the data scope, whose attributes are hidden. */
const HIDDEN_KEY = '-'

/** Limits the attributes to ads of the data scope. The statistics show only the names of other ads. */
const inScope = (user: User) => scoped(user, { tenant: ads.tenantId })

/** Returns the conditions for plays of ads with these attributes. */
export function buildAdAttributeConditions(
  user: User,
  adId: Column,
  filter: Partial<Record<AdAttribute, string | undefined>>,
): SQL[] {
  const chosen = (Object.keys(COLUMNS) as AdAttribute[]).flatMap((attribute) => {
    const value = filter[attribute]
    return value ? [eq(COLUMNS[attribute], value)] : []
  })
  if (chosen.length === 0) return []
  return [sql`${adId} in (select ${ads.id} from ${ads} where ${and(...chosen, inScope(user))})`]
}

/** Returns a query of `ad_id` and `key` for the ads of `p`. Ads with the same value have the same key. */
export const selectAdAttributeKeys = (user: User, attribute: AdAttribute): SQL => sql`
  select i.ad_id, coalesce(${VALUE_KEY} || ${COLUMNS[attribute]}, ${HIDDEN_KEY}) as key
  from (select distinct ad_id from p) i left join ${ads} on ${and(sql`${ads.id} = i.ad_id`, inScope(user))}`

/** Returns the display name of a key, and the filter value that selects its plays; null when no filter selects them. */
export function nameAdAttribute(attribute: AdAttribute, key: string): { name: string; value: string | null } {
  if (key === HIDDEN_KEY) return { name: HIDDEN_AD_NAME, value: null }
  const value = key.slice(VALUE_KEY.length)
  return value === '' ? { name: NOT_ENTERED[attribute], value: null } : { name: value, value }
}

/**
 * Returns the distinct values of an attribute as options of a filter. Includes deleted ads, whose plays still count.
 */
async function listValues({ db, user }: Ctx, { keyword }: ParsedOf<typeof calls.advertisers>, attribute: AdAttribute) {
  const column = COLUMNS[attribute]
  const rows = await db
    .selectDistinct({ name: column })
    .from(ads)
    .where(
      and(scoped(user, { tenant: ads.tenantId, creator: ads.createBy }), ne(column, ''), contains(column, keyword)),
    )
    .orderBy(asc(column))
    .limit(MAX_OPTIONS)
  return { list: rows }
}

export const listAdvertisers = (ctx: Ctx, input: ParsedOf<typeof calls.advertisers>) =>
  listValues(ctx, input, 'advertiser')
export const listContractNos = (ctx: Ctx, input: ParsedOf<typeof calls.contracts>) =>
  listValues(ctx, input, 'contractNo')
