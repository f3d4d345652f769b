/** Boards of the firmware xiaozhi-esp32 2.4.2, as suggestions. Other firmware can report other boards. */
export const KNOWN_BOARDS: readonly string[] = `
  aipi-lite atk-dnesp32s3 atk-dnesp32s3-box atk-dnesp32s3-box0 atk-dnesp32s3-box2-4g atk-dnesp32s3-box2-wifi
  atk-dnesp32s3-box3 atk-dnesp32s3m-4g atk-dnesp32s3m-wifi atom-echos3r atommatrix-echo-base atoms3-echo-base
  atoms3r-cam-m12-echo-base atoms3r-echo-base atoms3r-echo-pyramid bigsmart bread-compact-esp32
  bread-compact-esp32-lcd bread-compact-ml307 bread-compact-nt26 bread-compact-wifi bread-compact-wifi-lcd
  bread-compact-wifi-s3cam df-k10 df-s3-ai-cam doit-s3-aibox du-chatx eda-robot-pro eda-super-bear eda-tv-pro
  electron-bot esp-box esp-box-3 esp-box-lite esp-hi esp-s3-lcd-ev-board esp-s3-lcd-ev-board-2 esp-sensairshuttle
  esp-sparkbot esp-spot esp-vocat esp32-c5-touch-lcd-1.69 esp32-c6-lcd-0.85 esp32-c6-lcd-1.69
  esp32-c6-touch-amoled-1.32 esp32-c6-touch-amoled-1.43 esp32-c6-touch-amoled-1.8 esp32-c6-touch-amoled-2.06
  esp32-c6-touch-amoled-2.16 esp32-c6-touch-lcd-1.54 esp32-c6-touch-lcd-1.83 esp32-cgc esp32-cgc-144
  esp32-p4-function-ev-board esp32-p4-nano esp32-p4-wifi6-touch-lcd esp32-p4-wifi6-touch-lcd-3.5 esp32-s3-audio-board
  esp32-s3-cam esp32-s3-epaper-1.54 esp32-s3-epaper-3.97 esp32-s3-lcd-0.85 esp32-s3-rgb-matrix esp32-s3-rlcd-4.2
  esp32-s3-touch-amoled-1.32 esp32-s3-touch-amoled-1.43c esp32-s3-touch-amoled-1.75 esp32-s3-touch-amoled-1.8
  esp32-s3-touch-amoled-1.8-v2 esp32-s3-touch-amoled-2.06 esp32-s3-touch-amoled-2.16 esp32-s3-touch-lcd-1.46
  esp32-s3-touch-lcd-1.54 esp32-s3-touch-lcd-1.83 esp32-s3-touch-lcd-1.85 esp32-s3-touch-lcd-1.85b
  esp32-s3-touch-lcd-1.85c esp32-s3-touch-lcd-3.49 esp32-s3-touch-lcd-3.49-v2 esp32-s3-touch-lcd-3.5
  esp32-s3-touch-lcd-3.5b esp32-s3-touch-lcd-4.3c esp32-s3-touch-lcd-4b esp32-s3-touch-lcd-7c
  esp32-s31-function-coreboard-1 esp32-s31-korvo-1 esp32-touch-lcd-3.5 esp32s3-korvo2-v3 esp32s3-korvo2-v3-rndis
  freenove-esp32s3-display-2.8-lcd genjutech-s3-1.54tft hu-087 jiuchuan-s3 kevin-box-2 kevin-c3 kevin-sp-v3-dev
  kevin-sp-v4-dev kevin-yuying-313lcd labplus-ledong-v2 labplus-mpython-v3 lcdwiki-es3c35p lichuang-c3-dev
  lichuang-dev lilygo-t-cameraplus-s3 lilygo-t-circle-s3 lilygo-t-display-s3-pro-mvsrlora m5stack-cardputer-adv
  m5stack-core-s3 m5stack-corep4 m5stack-stick-s3 m5stack-stopwatch m5stack-tab5 magiclick-2p4 magiclick-2p5
  magiclick-c3 magiclick-c3-v2 minsi-k08-dual mixgo-nova movecall-cuican-esp32s3 movecall-moji-esp32s3
  movecall-moji2-esp32c5 nulllab-ai-vox-v3 otto-robot quandong-s3-dev sensecap-watcher sp-esp32-s3-1.28-box
  sp-esp32-s3-1.54-muma surfer-c3-1.14tft taiji-pi-s3 wk-esp32s3-dev xingzhi-abs-2.0 xingzhi-cube-0.85tft-ml307
  xingzhi-cube-0.85tft-wifi xingzhi-cube-0.96oled-ml307 xingzhi-cube-0.96oled-wifi xingzhi-cube-1.54tft-ml307
  xingzhi-cube-1.54tft-wifi xingzhi-metal-1.54-wifi xmini-c3 xmini-c3-4g xmini-c3-v3 yunliao-s3 zectrix-s3-epaper-4.2
  zhengchen-1.54tft-ml307 zhengchen-1.54tft-wifi zhengchen-cam zhengchen-cam-ml307
`
  .trim()
  .split(/\s+/)
