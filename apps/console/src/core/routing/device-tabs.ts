import type { ComponentType } from 'react'

/** A tab of the device page that another module provides: upgrade tasks, licence, tickets. */
export interface DeviceTab {
  readonly key: string
  readonly label: string
  /** Permission required to see the tab. */
  readonly access: string
  /** Sort order. The page's own tabs have 10, 20, 30 …; the history is last. */
  readonly order: number
  /** Loads the tab's code when it is first opened; the default export receives the device. */
  readonly panel: () => Promise<{ default: ComponentType<{ deviceId: number; sn: string }> }>
}

const tabs: DeviceTab[] = []

/**
 * Registers a tab. Called from a module's `index.ts`, so that the tab's code is not loaded before the tab opens.
 */
export const addDeviceTab = (tab: DeviceTab) => void tabs.push(tab)
export const listDeviceTabs = (): readonly DeviceTab[] => tabs
