import * as z from 'zod'
import { id } from './fields.ts'

type Path = `/api/v1/${string}`
type Right = `${string}:${string}:${string}`

const turn = (path: Path, access: Right, verb: '启用' | '停用', noun: string) =>
  ({
    method: 'POST',
    path: `${path}/:id` as Path,
    access,
    title: `${verb}${noun}`,
    kind: 'edit',
    input: z.object({ id }),
    result: z.null(),
    done: `已${verb}`,
  }) as const

/** Declares the two calls that enable and disable a row: `<root>/enable/:id`, `<root>/disable/:id`. */
export const declareSwitches = (root: Path, access: Right, noun: string) =>
  ({
    enable: turn(`${root}/enable`, access, '启用', noun),
    disable: turn(`${root}/disable`, access, '停用', noun),
  }) as const
