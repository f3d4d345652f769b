import { appAccount } from '@oms/contract/storage/app-account.ts'
import { implement } from '#core/http/implement.ts'
import * as apps from './app-account.ts'
import { importAppAccounts } from './app-account-import.ts'

export const appAccountModule = implement(
  appAccount,
  {
    list: apps.listAppAccounts,
    export: apps.exportAppAccounts,
    template: importAppAccounts.template,
    import: importAppAccounts.take,
    get: apps.getAppAccount,
    devices: apps.listBoundDevices,
    create: apps.createAppAccount,
    enable: apps.enableAppAccount,
    disable: apps.disableAppAccount,
    bind: apps.bindDevice,
    unbind: apps.unbindDevice,
  },
  { outsideTransaction: ['import'] },
)
