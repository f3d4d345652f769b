import type { HomeBlockData } from '@oms/contract/home/home.ts'
import type { Ctx, User } from '#core/http/context.ts'

type BlockFigures = Omit<HomeBlockData, 'key' | 'title'>

/** Omits figures with the value 0, because their lists would be empty. */
export const omitZeros = (figures: NonNullable<BlockFigures['figures']>) => figures.filter(({ value }) => value > 0)

/** A block of the home page: its permission, its data, and the resources that invalidate the data. */
export interface BlockSource {
  readonly title: string
  /** Resources whose `changed` events invalidate the block. */
  readonly resources: readonly string[]
  may(user: User): boolean
  load(ctx: Ctx): Promise<BlockFigures>
}

const PAGES = ['Questions', 'PendingList', 'StatisticAnalysis'] as const

export const canSeeTickets = (user: User) => PAGES.some((page) => user.can(`AfterService:${page}:list`))
