/** Messages between the browser tabs of one user. */
export type TabMessage =
  | { readonly type: 'login'; readonly uid: number }
  | { readonly type: 'logout' }
  /** The session switched to another tenant. */
  | { readonly type: 'moved' }
  | { readonly type: 'expired'; readonly token: string }

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('oms')

export const publishToTabs = (message: TabMessage) => channel?.postMessage(message)

export function listenToTabs(handler: (message: TabMessage) => void) {
  const onMessage = (event: MessageEvent<TabMessage>) => handler(event.data)
  channel?.addEventListener('message', onMessage)
  return () => channel?.removeEventListener('message', onMessage)
}
