import type { User } from '#kernel/context.ts'

const PAGES = ['Questions', 'PendingList', 'StatisticAnalysis'] as const

export const seesTickets = (user: User) => PAGES.some((page) => user.can(`AfterService:${page}:list`))
