import * as z from 'zod'
import type { Contract } from './kernel/endpoint.ts'

/** Blocks of the home page. Which ones an account gets is the server's decision. */
export const HOME_BLOCKS = ['sessions', 'accounts', 'firmware', 'storage', 'notices', 'operations'] as const
export type HomeBlock = (typeof HOME_BLOCKS)[number]

/** One figure, or one short list, of the home page. */
export const HomeBlockData = z.object({
  key: z.enum(HOME_BLOCKS),
  title: z.string(),
  value: z.number(),
  /** What the value counts in: absent means pieces, `bytes` wants a size. */
  unit: z.enum(['bytes']).optional(),
  /** Change since yesterday, where one makes sense. */
  delta: z.number().optional(),
  /** A second figure in words: `启用 3 个`. */
  detail: z.string().optional(),
  /** Where its rows are; only pages this account may open. */
  url: z.string(),
  /** Newest rows, for the blocks that are lists. */
  items: z
    .array(
      z.object({
        id: z.string(),
        title: z.string(),
        detail: z.string(),
        time: z.string(),
        /** `ok` or `bad` where there is an outcome. */
        state: z.enum(['ok', 'bad']).optional(),
      }),
    )
    .optional(),
  /** A small line: one value a day, the last one today. */
  trend: z.array(z.object({ day: z.string(), value: z.number() })).optional(),
})
export type HomeBlockData = z.output<typeof HomeBlockData>

/** Something that waits for this account. */
export const HomeTodo = z.object({ key: z.string(), title: z.string(), count: z.int(), url: z.string() })

export const home = {
  /** One block a request (`block`), or every block at once; those the account may not see are left out. */
  summary: {
    method: 'GET',
    path: '/api/v1/home/summary',
    access: 'session',
    input: z.object({ block: z.enum(HOME_BLOCKS, '区块不正确').optional() }),
    result: z.object({ blocks: z.array(HomeBlockData) }),
  },
  /** The names of the blocks this account gets, in order, so that each can be asked for by itself. */
  blocks: {
    method: 'GET',
    path: '/api/v1/home/blocks',
    access: 'session',
    input: z.object({}),
    result: z.object({ blocks: z.array(z.object({ key: z.enum(HOME_BLOCKS), title: z.string() })) }),
  },
  todo: {
    method: 'GET',
    path: '/api/v1/home/todo',
    access: 'session',
    input: z.object({}),
    result: z.object({ list: z.array(HomeTodo) }),
  },
} as const satisfies Contract
