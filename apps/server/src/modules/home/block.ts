import type { HomeBlockData } from '@oms/contract/home.ts'
import type { Ctx, User } from '#kernel/context.ts'

export type Figures = Omit<HomeBlockData, 'key' | 'title'>

/** One block of the home page: who gets it, and how it is filled. */
export interface Block {
  readonly title: string
  may(user: User): boolean
  load(ctx: Ctx): Promise<Figures>
}
