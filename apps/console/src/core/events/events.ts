import type { ConsoleEvent, ConsoleEventData } from '@oms/contract/system/events.ts'
import { useEffect, useEffectEvent } from 'react'

type Handler<K extends ConsoleEvent> = (data: ConsoleEventData<K>) => void
const handlers = new Map<ConsoleEvent, Set<(data: never) => void>>()

/** Subscribes to a server event and returns the unsubscribe function. */
export function onEvent<K extends ConsoleEvent>(name: K, handler: Handler<K>) {
  const set = handlers.get(name) ?? new Set()
  handlers.set(name, set.add(handler))
  return () => {
    set.delete(handler)
  }
}

/** Subscribes to a server event while the component is mounted. */
export function useServerEvent<K extends ConsoleEvent>(name: K, handler: Handler<K>) {
  const latest = useEffectEvent(handler)
  useEffect(() => onEvent(name, (data) => latest(data)), [name])
}

/** Dispatches one event to its subscribers; called by the stream and by tests. */
export function emitEvent(name: string, data: unknown) {
  const set = handlers.get(name as ConsoleEvent)
  for (const handler of set ? [...set] : []) handler(data as never)
}
