import * as z from 'zod'
import { id } from './fields.ts'
import { ENABLED_LABELS, type StatusLabels } from './status-labels.ts'

type Path = `/api/v1/${string}`
type Right = `${string}:${string}:${string}`

interface SwitchOptions {
  /** Default: 启用 and 停用. */
  readonly statusLabels?: StatusLabels | undefined
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
    statusLabels: options.statusLabels ?? ENABLED_LABELS,
    input: z.object({ id }),
    result: z.null(),
    done: `已${verb}`,
  }) as const

/**
 * Declares the two calls that enable and disable a row: `<root>/enable/:id`, `<root>/disable/:id`. Titles, messages,
 * and the buttons and switches of the console use `statusLabels`.
 */
export function declareSwitches(root: Path, access: Right, noun: string, options: SwitchOptions = {}) {
  const { enable, disable } = options.statusLabels ?? ENABLED_LABELS
  return {
    enable: declareSwitch(`${root}/enable`, access, enable, noun, options),
    disable: declareSwitch(`${root}/disable`, access, disable, noun, options),
  } as const
}
