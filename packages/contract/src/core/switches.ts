import * as z from 'zod'
import { id } from './fields.ts'
import { ENABLED_WORDS, type StatusWords } from './status-words.ts'

type Path = `/api/v1/${string}`
type Right = `${string}:${string}:${string}`

interface SwitchOptions {
  /** Default: 启用 and 停用. */
  readonly words?: StatusWords | undefined
  readonly allTenants?: true
}

const declareSwitch = (path: Path, access: Right, verb: string, noun: string, options: SwitchOptions) =>
  ({
    method: 'POST',
    path: `${path}/:id` as Path,
    access,
    ...(options.allTenants && { allTenants: options.allTenants }),
    title: `${verb}${noun}`,
    kind: 'edit',
    words: options.words ?? ENABLED_WORDS,
    input: z.object({ id }),
    result: z.null(),
    done: `已${verb}`,
  }) as const

/**
 * Declares the two calls that enable and disable a row: `<root>/enable/:id`, `<root>/disable/:id`. Titles, messages,
 * and the buttons and switches of the console use `words`.
 */
export function declareSwitches(root: Path, access: Right, noun: string, options: SwitchOptions = {}) {
  const { enable, disable } = options.words ?? ENABLED_WORDS
  return {
    enable: declareSwitch(`${root}/enable`, access, enable, noun, options),
    disable: declareSwitch(`${root}/disable`, access, disable, noun, options),
  } as const
}
