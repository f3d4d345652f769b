/** What the browser tabs of one person tell each other. */
export type TabMessage =
  | { readonly type: 'login'; readonly uid: number }
  | { readonly type: 'logout' }
  /** This login works in another tenant now. */
  | { readonly type: 'moved' }
  | { readonly type: 'expired'; readonly token: string }

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('oms')

export const tell = (message: TabMessage) => channel?.postMessage(message)

export function listen(handler: (message: TabMessage) => void) {
  const onMessage = (event: MessageEvent<TabMessage>) => handler(event.data)
  channel?.addEventListener('message', onMessage)
  return () => channel?.removeEventListener('message', onMessage)
}
