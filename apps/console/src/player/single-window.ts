const NAME = 'oms-player'

/**
 * Resolves when this page is the only player of the browser. Two players would report every play twice. `onWait` runs
 * when another window plays; this one takes over when the other closes.
 */
export async function becomeOnlyWindow(onWait: () => void): Promise<void> {
  // Plain HTTP has no Web Locks.
  if (!navigator.locks) return becomeOnlyByMessage(onWait)
  if (await hold({ ifAvailable: true })) return
  onWait()
  await hold({})
}

/** Requests the lock and keeps it until the page closes. Resolves with false when another window has the lock. */
const hold = (options: LockOptions) =>
  new Promise<boolean>((done) => {
    void navigator.locks.request(NAME, options, (lock) => {
      done(lock !== null)
      return lock === null ? undefined : new Promise(() => {})
    })
  })

/** Sends a message to the other windows. Retries until none of them responds. */
async function becomeOnlyByMessage(onWait: () => void) {
  const channel = new BroadcastChannel(NAME)
  const isTaken = () =>
    new Promise<boolean>((done) => {
      channel.onmessage = ({ data }) => data === 'taken' && done(true)
      channel.postMessage('claim')
      setTimeout(() => done(false), 300)
    })
  while (await isTaken()) {
    onWait()
    await new Promise((done) => setTimeout(done, 5_000))
  }
  channel.onmessage = ({ data }) => {
    if (data === 'claim') channel.postMessage('taken')
  }
}
