import type { ComponentType } from 'react'

/** A tab of the agent page that another part provides: devices, memory, conversations, voiceprints. */
export interface AgentTab {
  readonly key: string
  readonly label: string
  /** Permission required to see the tab. */
  readonly access: string
  /** Sort order of the tab. 设定 has 10, 版本 20, 替换词 40 and the log 90. */
  readonly order: number
  /** Loads the tab's code when it is first opened; the default export receives the agent. */
  readonly panel: () => Promise<{ default: ComponentType<{ agentId: number; agentName: string }> }>
}

const tabs: AgentTab[] = []

/** Registers a tab. Called from a module's `index.ts`. */
export const addAgentTab = (tab: AgentTab) => void tabs.push(tab)
export const listAgentTabs = (): readonly AgentTab[] => tabs
