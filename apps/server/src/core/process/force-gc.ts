import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void
let collect: Collect | undefined

/**
 * Forces a garbage collection and returns freed memory to the operating system. V8 keeps the memory of a large read for
 * later reads. Blocks this process for some tens of milliseconds, so call it only after large reads.
 */
export function forceGarbageCollection() {
  if (!collect) {
    // V8 offers no other access: the function exists only in contexts created after the flag is set.
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  collect({ type: 'major', flavor: 'last-resort' })
}
