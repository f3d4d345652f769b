import type { Module } from '#core/http/implement.ts'
import * as list from './module-list.ts'

/** All modules of `module-list.ts`. The server mounts them, and tests visit each of their calls. */
export const modules: readonly Module[] = (Object.values(list) as (Module | readonly Module[])[]).flat()
