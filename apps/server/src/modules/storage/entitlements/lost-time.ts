import type { QueueWork } from '../queue-store.ts'

type Changed = Pick<QueueWork, 'deviceId' | 'events' | 'entries'>

/** Returns the share of an amount in fen that belongs to the remaining seconds, rounded down. */
const shareOf = (amount: number, left: number, total: number) =>
  total === 0 ? 0 : Number((BigInt(amount) * BigInt(left)) / BigInt(total))

/** Returns the seconds of the replaced entitlement that an override discards, and their value in fen. */
export function computeQueueLoss({ events, entries }: Changed) {
  const loss = { lostSeconds: 0, lostAmount: 0 }
  for (const { kind, id, left } of events) {
    if (kind !== 'replace') continue
    const { amount = 0, totalSeconds = 0 } = entries.get(id) ?? {}
    loss.lostSeconds += left
    loss.lostAmount += shareOf(amount, left, totalSeconds)
  }
  return loss
}

/** Adds up the losses of changed queues, with the number of devices that lose something. */
export function computeTotalLoss(works: readonly Changed[]) {
  const losses = works.map((work) => ({ deviceId: work.deviceId, ...computeQueueLoss(work) }))
  return {
    lostSeconds: losses.reduce((sum, { lostSeconds }) => sum + lostSeconds, 0),
    lostAmount: losses.reduce((sum, { lostAmount }) => sum + lostAmount, 0),
    lostDevices: new Set(losses.filter(({ lostSeconds }) => lostSeconds > 0).map(({ deviceId }) => deviceId)).size,
  }
}
