import type { HomeBlock } from '@oms/contract/home/home.ts'
import { agentDevicesBlock } from './agent-blocks.ts'
import type { BlockSource } from './block.ts'
import { appAccountsBlock, devicesBlock, licensesBlock, tenantsBlock, ticketsBlock } from './fleet-blocks.ts'
import { noticesBlock, operationsBlock } from './news-blocks.ts'
import { accountsBlock, sessionsBlock } from './people-blocks.ts'
import { firmwareBlock, storageBlock } from './stock-blocks.ts'
import { agentIncomeBlock, agentUsageBlock } from './voice-blocks.ts'

/** All blocks in the order of the page. */
export const BLOCKS_BY_KEY: Readonly<Record<HomeBlock, BlockSource>> = {
  devices: devicesBlock,
  tenants: tenantsBlock,
  appAccounts: appAccountsBlock,
  tickets: ticketsBlock,
  licenses: licensesBlock,
  firmware: firmwareBlock,
  agentDevices: agentDevicesBlock,
  agentUsage: agentUsageBlock,
  agentIncome: agentIncomeBlock,
  accounts: accountsBlock,
  sessions: sessionsBlock,
  storage: storageBlock,
  notices: noticesBlock,
  operations: operationsBlock,
}
