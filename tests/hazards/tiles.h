/* tiles.h - what C++ programs of the must-find suite share: a kernel of one tile in and one tile out. */
#ifndef TILES_H
#define TILES_H

#include "hazard.h"

/* One tile in, one tile out. */
struct Tiles {
  TPipe pipe;
  TQue<TPosition::VECIN, 2> in;
  TQue<TPosition::VECOUT, 2> out;
  GlobalTensor<float> x, y;
  __aicore__ inline void Init(GM_ADDR from, GM_ADDR to) {
    x.SetGlobalBuffer((__gm__ float *)from + GetBlockIdx() * TILE, TILE);
    y.SetGlobalBuffer((__gm__ float *)to + GetBlockIdx() * TILE, TILE);
    pipe.InitBuffer(in, 2, TILE * 4);
    pipe.InitBuffer(out, 2, TILE * 4);
  }
  __aicore__ inline void Load() {
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, x, TILE);
    in.EnQue(a);
  }
  __aicore__ inline void Store(LocalTensor<float> b) {
    out.EnQue(b);
    b = out.DeQue<float>();
    DataCopy(y, b, TILE);
    out.FreeTensor(b);
  }
};

#endif
