import type { adStats as calls } from '@oms/contract/advertise/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, ne, type Column, type SQL, sql } from 'drizzle-orm'
import { contains } from '#core/database/lists/list-query.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { ads } from '#schema/advertise.ts'
import { HIDDEN_AD_NAME } from '../programs/program-items.ts'

/**
 * Facts of an ad by which plays are filtered and added up. The present values of the ad count, also for plays before a
 * change. Deleted ads keep their values.
 */
const COLUMNS = { advertiser: ads.advertiser, contractNo: ads.contractNo } as const
export type AdFact = keyof typeof COLUMNS

const MAX_OPTIONS = 100
const NOT_ENTERED: Readonly<Record<AdFact, string>> = { advertiser: '未填写广告主', contractNo: '未填写合同编号' }
/** First character of the key of a value. Keys of ads outside the data scope have no value. */
const VALUE_KEY = '='
const HIDDEN_KEY = '-'

/** Plays contain the names of ads of other tenants, but not their facts. */
const inScope = (user: User) => scoped(user, { tenant: ads.tenantId })

/** Returns the conditions for plays of ads with these facts. */
export function buildAdFactConditions(
  user: User,
  adId: Column,
  filter: Partial<Record<AdFact, string | undefined>>,
): SQL[] {
  const chosen = (Object.keys(COLUMNS) as AdFact[]).flatMap((fact) => {
    const value = filter[fact]
    return value ? [eq(COLUMNS[fact], value)] : []
  })
  if (chosen.length === 0) return []
  return [sql`${adId} in (select ${ads.id} from ${ads} where ${and(...chosen, inScope(user))})`]
}

/** Returns a query of `ad_id` and `key`, one key for each value of the fact, for the ads of `p`. */
export const selectAdFactKeys = (user: User, fact: AdFact): SQL => sql`
  select i.ad_id, coalesce(${VALUE_KEY} || ${COLUMNS[fact]}, ${HIDDEN_KEY}) as key
  from (select distinct ad_id from p) i left join ${ads} on ${and(sql`${ads.id} = i.ad_id`, inScope(user))}`

/** Returns the name of a key, and the value that filters its rows; null without such a filter. */
export function nameAdFact(fact: AdFact, key: string): { name: string; value: string | null } {
  if (key === HIDDEN_KEY) return { name: HIDDEN_AD_NAME, value: null }
  const value = key.slice(VALUE_KEY.length)
  return value === '' ? { name: NOT_ENTERED[fact], value: null } : { name: value, value }
}

/** Returns the different values of a fact for a filter. Deleted ads stay in the statistics. */
async function listValues({ db, user }: Ctx, { keyword }: ParsedOf<typeof calls.advertisers>, fact: AdFact) {
  const column = COLUMNS[fact]
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
