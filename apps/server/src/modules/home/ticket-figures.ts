import type { User } from '#core/http/context.ts'

const PAGES = ['Questions', 'PendingList', 'StatisticAnalysis'] as const

export const canSeeTickets = (user: User) => PAGES.some((page) => user.can(`AfterService:${page}:list`))
