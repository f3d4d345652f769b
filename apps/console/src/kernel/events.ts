import type { ConsoleEvent, ConsoleEventData } from '@oms/contract/events.ts'
import { useEffect, useEffectEvent } from 'react'

type Handler<K extends ConsoleEvent> = (data: ConsoleEventData<K>) => void
const handlers = new Map<ConsoleEvent, Set<(data: never) => void>>()

/** Calls `handler` for every event of this name the server pushes; returns the way to stop. */
export function onEvent<K extends ConsoleEvent>(name: K, handler: Handler<K>) {
  const set = handlers.get(name) ?? new Set()
  handlers.set(name, set.add(handler))
  return () => {
    set.delete(handler)
  }
}

/** `onEvent` for as long as a component is shown. */
export function useServerEvent<K extends ConsoleEvent>(name: K, handler: Handler<K>) {
  const latest = useEffectEvent(handler)
  useEffect(() => onEvent(name, (data) => latest(data)), [name])
}

/** Hands one event to those who listen: called by the stream, and by tests. */
export function emitEvent(name: string, data: unknown) {
  const set = handlers.get(name as ConsoleEvent)
  for (const handler of set ? [...set] : []) handler(data as never)
}
