import { adScreens } from '@oms/contract/advertise/screen.ts'
import { PairForm, ScreenForm } from '#modules/advertise/screens/screen-dialogs.tsx'
import { type FormCase, buildOptions } from './form-case.ts'

/** Forms of screens. */
export const SCREEN_CASES: readonly FormCase[] = [
  {
    name: '配对屏幕',
    file: 'advertise/screens/screen-dialogs.tsx',
    save: adScreens.pair,
    field: 'code',
    values: ['K7M2QX', 'K7M2QY'],
    choose: ['deviceId'],
    reads: [[adScreens.devices, buildOptions({ modelName: '型号' })]],
    form: (close) => <PairForm code="" onClose={close} />,
  },
  {
    name: '编辑屏幕',
    file: 'advertise/screens/screen-dialogs.tsx',
    save: adScreens.update,
    field: 'timeZone',
    values: ['Europe/Berlin', 'Europe/Paris'],
    record: { read: adScreens.get },
    form: (close, row) => <ScreenForm row={row as never} onClose={close} />,
  },
]
