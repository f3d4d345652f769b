import { home } from '@oms/contract/home.ts'
import { implement } from '#kernel/implement.ts'
import { blocks, summary } from './home.service.ts'
import { todo } from './todo.service.ts'

export const homeModule = implement(home, { summary, blocks, todo })
