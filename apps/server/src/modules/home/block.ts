import type { HomeBlockData } from '@oms/contract/home.ts'
import type { Ctx, User } from '#kernel/context.ts'

export type Figures = Omit<HomeBlockData, 'key' | 'title'>

/** One block of the home page: who gets it, how it is filled, and what makes it old. */
export interface Block {
  readonly title: string
  /** Resources whose changes it shows, as `changed` events name them. */
  readonly resources: readonly string[]
  may(user: User): boolean
  load(ctx: Ctx): Promise<Figures>
}
