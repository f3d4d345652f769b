import type { ComponentType } from 'react'

/** A tab of the device page that another module brings: upgrade tasks, licence, tickets. */
export interface DeviceTab {
  readonly key: string
  readonly label: string
  /** Shown to those who hold it. */
  readonly access: string
  /** The page's own tabs stand at 10, 20, 30 …; the history is the last. */
  readonly order: number
  /** Loaded when the tab is opened for the first time; its default export gets the device. */
  readonly panel: () => Promise<{ default: ComponentType<{ deviceId: number; sn: string }> }>
}

const tabs: DeviceTab[] = []

/** Called from a module's `*.screens.ts`, so that nothing of the tab itself is loaded before it is opened. */
export const addDeviceTab = (tab: DeviceTab) => void tabs.push(tab)
export const deviceTabs = (): readonly DeviceTab[] => tabs
