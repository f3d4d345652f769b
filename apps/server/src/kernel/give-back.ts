import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void
let collect: Collect | undefined

/**
 * Gives the system back what a large reading left behind in the heap: by itself the engine keeps that for the next one,
 * which never comes. Stops this process for some tens of milliseconds; to be called after such a reading only.
 */
export function giveBackMemory() {
  if (!collect) {
    // The engine offers no other way in: the function exists in contexts made after the flag is set.
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  collect({ type: 'major', flavor: 'last-resort' })
}
